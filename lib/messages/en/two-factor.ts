export const twoFactor = {
  scanTitle: "Scan this with your authenticator app",
  scanText: "Any app for one-time codes works, e.g. Google Authenticator, 1Password or Aegis.",
  newSecretTitle: "This is a new QR code",
  newSecretText:
    "An earlier QR code was never confirmed and is no longer valid. If your app has an entry from it, delete that entry, then scan this code.",
  qr: "QR code for your authenticator app",
  typed: "Or enter the secret in the app",
  copySecret: "Copy secret",
  code: "Code from the app",
  codeHint: "6 digits, new every 30 seconds.",
  check: "Verify and enable",
  wrongCode: "Incorrect code. Check that your phone’s clock is correct, then enter the newest code.",
  passwordTitle: "Confirm your password",
  passwordText: "You signed in some time ago.",
  password: "Password",
  wrongPassword: "Incorrect password.",
  codesTitle: "Save your backup codes",
  codesText:
    "Each code signs you in once if you don’t have the app. They are shown only now: store them with your passwords.",
  copyCodes: "Copy codes",
  codesFile: "Backup codes for {product}, user {username}",
  codesSaved: "I’ve saved them",
  codesSavedHint:
    "If you lose the app and the codes, only an administrator or “npm run admin -- reset-2fa” on the server can reset 2FA.",
  on: "Two-factor authentication is on.",
};
