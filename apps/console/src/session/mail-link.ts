const invitationKey = 'tally.invitation';

/** Secret of a mail with which a first password is set: in memory only, and out of the address at once. */
let initToken: string | undefined;

/** Whether the address is one of a mail. */
export function isMailLink(): boolean {
  return /^#[/](?:init-user|invitation)[?]/.test(location.hash);
}

/** Reads the fragment to which mails lead, which no server sees, and leads to the page that is meant. */
export function readMailLink(): void {
  const [path, query] = location.hash.slice(1).split('?');
  const values = new URLSearchParams(query);
  if (path === '/init-user') {
    initToken = values.get('initToken') ?? undefined;
    history.replaceState(null, '', '/console/welcome');
  }
  const invitation = values.get('invitationToken');
  if (path === '/invitation' && invitation !== null) {
    // It outlives the sign-in, and proves nothing by itself.
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
