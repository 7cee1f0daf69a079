/** A local ledger could not be started or did not respond. */
export class DevnetError extends Error {
  override readonly name = 'DevnetError';
}
