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
  wait: "Too many attempts. Try again in {time}.",
  taken: "This username is taken. Choose another.",
};
