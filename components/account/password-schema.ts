import { z } from "zod";
import { ChangePassword } from "@/lib/contracts/console/user";

/** The contract's request, and the new password a second time. */
export const PasswordForm = ChangePassword.extend({ again: z.string() }).superRefine((form, context) => {
  if (form.again === form.new_password) return;
  context.addIssue({ code: "custom", path: ["again"], message: "The two passwords differ." });
});
