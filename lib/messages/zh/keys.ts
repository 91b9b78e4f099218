export const keys = {
  title: "密钥",
  reveal: {
    copy: "复制密钥",
    once: "密钥只显示这一次",
    onceText: "Patchbay 只保存它的指纹，不保存密钥本身。请复制到要使用它的地方。",
  },
};
