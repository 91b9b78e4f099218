export const join = {
  title: "Welcome",
  invite: {
    title: "Join Patchbay",
    asMember: "{name} invites you. Choose the name and password you will sign in with.",
    asAdmin:
      "{name} invites you as an administrator. Choose the name and password you will sign in with, and switch a second factor on afterwards.",
    email: "You can also sign in with {email}.",
    action: "Create account",
  },
  reset: {
    title: "Choose a new password",
    text: "For {name}. Every other browser is signed out when you save it.",
    code: "Code from the app, or a backup code",
    wrongCode: "That code is not right, or was used before.",
    action: "Save and sign in",
  },
  register: {
    title: "Create an account",
    text: "A member’s account: keys of your own, your usage, and the playgrounds.",
    action: "Create account",
    signIn: "Have an account already? Sign in",
  },
  username: "Username",
  displayName: "Display name",
  displayNameHint: "How others see you; empty: the username.",
  password: "Password",
  newPassword: "New password",
  confirm: "Password again",
  loading: "Opening the link…",
  invalidLink: {
    title: "This link opens nothing",
    text: "It was used or revoked, or its time is up. Ask whoever sent it for a new one.",
    signIn: "Go to sign-in",
  },
  signedInAs: "You are signed in as {name} in this browser. Going on signs you in as somebody else.",
  wait: "Too many attempts from here. Try again in {time}.",
  taken: "This name is taken. Choose another.",
};
