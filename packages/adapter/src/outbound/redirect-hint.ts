/** Returns a note for errors about this HTTP status; empty unless the status is a redirect. */
export function redirectHint(status: number): string {
  return status >= 300 && status < 400 ? '; redirects are not followed' : '';
}
