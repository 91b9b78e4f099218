export const signIn = {
  title: "Sign in",
  lead: "One gateway for speech and embeddings.",
  username: "Username or email",
  password: "Password",
  submit: "Sign in",
  wrong: "Incorrect username or password.",
  noCookie:
    "Your browser did not keep the session cookie. Allow cookies for this site. If the console has an https address, use that address.",
  unlocked: "You can try again now.",
  ended: "Your session has ended. Sign in to continue.",
  expired: "Sign-in timed out. Enter your password again.",
  spent: "Too many wrong codes. Enter your password again.",
  taken: "This instance is already set up. Sign in to use it.",
  noAccount: "No account yet?",
  register: "Create one",
  forgotten: "Forgot password?",
  forgottenText:
    "A user with a higher role can send you a password reset link. If you are the owner, run this on the server:",
  twoFactor: {
    title: "Two-factor authentication",
    text: "Enter the 6-digit code from your authenticator app.",
    code: "6-digit code",
    backupText: "Enter one of your ten backup codes. Each works once.",
    backupCode: "Backup code",
    submit: "Sign in",
    useBackup: "Use a backup code",
    useCode: "Use an app code",
    wrong: "Incorrect code. {left, plural, one {One attempt left.} other {# attempts left.}}",
    wrongBackup: "Incorrect backup code. {left, plural, one {One attempt left.} other {# attempts left.}}",
    malformed: "A backup code has ten letters and digits, e.g. 7KQ2M-X9D4T.",
    expiresIn: "{time} left to enter the code",
    other: "Use another account",
    as: "Signing in as {username}",
  },
};

export const join = {
  title: "Welcome",
  invite: {
    title: "Join Patchbay",
    asMember: "{name} invited you. Choose a username and password to sign in with.",
    asAdmin:
      "{name} invited you as an administrator. Choose a username and password to sign in with, and set up two-factor authentication afterwards.",
    email: "You can also sign in with {email}.",
    action: "Create account",
  },
  reset: {
    title: "Choose a new password",
    text: "For {name}. Saving it signs you out everywhere else.",
    code: "Code from the app, or a backup code",
    wrongCode: "This code is incorrect or was already used.",
    action: "Save and sign in",
  },
  register: {
    title: "Create an account",
    text: "Member accounts have their own API keys and usage, and can use the playgrounds.",
    action: "Create account",
    signIn: "Already have an account? Sign in",
  },
  username: "Username",
  displayName: "Display name",
  displayNameHint: "Shown to others. Leave blank to use the username.",
  password: "Password",
  newPassword: "New password",
  confirm: "Confirm password",
  loading: "Checking the link…",
  invalidLink: {
    title: "This link is no longer valid",
    text: "It was used, was revoked or has expired. Ask the sender for a new link.",
    signIn: "Go to sign-in",
  },
  signedInAs:
    "You are signed in as {name} in this browser. If you continue, you will be signed in with another account.",
  taken: "This username is taken. Choose another.",
};

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
    "If you lose the app and the codes, only a user with a higher role or “npm run admin -- reset-2fa” on the server can reset 2FA.",
};
