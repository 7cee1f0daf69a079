/** What to add to an error about this HTTP status; empty unless it is a redirect. */
export function redirectHint(status: number): string {
  return status >= 300 && status < 400 ? '; redirects are not followed' : '';
}
