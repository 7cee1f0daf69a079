/** A local ledger could not be started or did not answer. */
export class DevnetError extends Error {
  override readonly name = 'DevnetError';
}
