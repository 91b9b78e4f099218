export const keys = {
  title: "Keys",
  reveal: {
    copy: "Copy key",
    once: "This is the only time it is shown",
    onceText: "Patchbay keeps a fingerprint of it, not the key. Copy it to where it will be used.",
  },
};
