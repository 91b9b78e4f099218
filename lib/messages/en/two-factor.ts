export const twoFactor = {
  scanTitle: "Scan this with your authenticator app",
  scanText: "Google Authenticator, 1Password, Aegis and any other app for one-time codes will do.",
  newSecretTitle: "This is a new QR code",
  newSecretText:
    "One shown before was never confirmed and no longer counts. If your app has an entry from it, delete that entry, then scan this.",
  qr: "QR code for your authenticator app",
  typed: "Or type the secret into the app",
  copySecret: "Copy secret",
  code: "Code from the app",
  codeHint: "Six digits; a new one every 30 seconds.",
  check: "Check code and switch on",
  wrongCode:
    "That code did not match. Check that the clock of your phone is right, then write the newest code.",
  passwordTitle: "First, your password",
  passwordText: "It has been a while since you signed in.",
  password: "Password",
  wrongPassword: "That is not your password.",
  codesTitle: "Keep these backup codes",
  codesText:
    "Each one signs you in once when the app is not at hand. They are shown now and never again: keep them where you keep passwords.",
  copyCodes: "Copy codes",
  codesFile: "Backup codes for {product}, user {username}",
  codesSaved: "I have kept them",
  codesSavedHint:
    "Without them, losing the app means a reset by an administrator, or by “npm run admin -- reset-2fa” on the machine itself.",
  on: "The second factor is on.",
};
