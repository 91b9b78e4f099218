import { z } from "zod";
import { ChangePassword } from "@/lib/contracts/console/user";

/** The contract's request and the repeated new password. */
export const ChangePasswordForm = ChangePassword.extend({ confirm: z.string() }).superRefine(
  (form, context) => {
    if (form.confirm === form.new_password) return;
    context.addIssue({ code: "custom", path: ["confirm"], message: "The two passwords differ." });
  },
);
