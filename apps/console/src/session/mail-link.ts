const invitationKey = 'ledger-ops.invitation';

/** Token from a mail that sets the first password. Kept only in memory and removed from the address immediately. */
let initToken: string | undefined;

/** Whether the address comes from a mail link. */
export function isMailLink(): boolean {
  return /^#[/](?:init-user|invitation)[?]/.test(location.hash);
}

/** Reads the fragment of a mail link, which is never sent to a server, and redirects to the matching page. */
export function readMailLink(): void {
  const [path, query] = location.hash.slice(1).split('?');
  const values = new URLSearchParams(query);
  if (path === '/init-user') {
    initToken = values.get('initToken') ?? undefined;
    history.replaceState(null, '', '/console/welcome');
  }
  const invitation = values.get('invitationToken');
  if (path === '/invitation' && invitation !== null) {
    // The invitation is kept during the sign-in. Its token is not a credential.
    sessionStorage.setItem(invitationKey, invitation);
    history.replaceState(null, '', '/console/invitation');
  }
}

export function givenInitToken(): string | undefined {
  return initToken;
}

export function givenInvitation(): string | undefined {
  return sessionStorage.getItem(invitationKey) ?? undefined;
}

export function forgetInvitation(): void {
  sessionStorage.removeItem(invitationKey);
}
