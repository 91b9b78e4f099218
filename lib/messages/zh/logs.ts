export const logs = {
  title: "日志",
  lead: "每次到达渠道的调用，最新的在前。因密钥、限额或预算被拒绝的调用只告知调用方，不在此列。",
  chart: "调用随时间变化",
  succeeded: "成功",
  failed: "失败",
  onlyFailed: "失败的调用",
  all: "全部调用",
  show: "显示哪些调用",
  zoom: "点按柱形，只看那段时间。",
};
