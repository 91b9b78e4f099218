import { expect, test } from "vitest";
import { drawToasts, onFirstToast, type Toast, toast } from "@/components/ui/toast";

test("keeps toasts in order until the code that draws them is loaded", () => {
  const shown: Toast[] = [];
  let loads = 0;
  toast.error("before the page is ready");
  const stop = onFirstToast(() => {
    loads += 1;
  });
  expect(loads).toBe(1);
  toast.success("while it loads", { action: { label: "Undo", onClick: () => undefined } });
  expect(shown).toEqual([]);
  const end = drawToasts((one) => shown.push(one));
  toast("afterwards");
  expect(shown.map(({ kind, text, action }) => [kind, text, action?.label])).toEqual([
    ["error", "before the page is ready", undefined],
    ["success", "while it loads", "Undo"],
    ["message", "afterwards", undefined],
  ]);
  end();
  stop();
});
