/** Exit code of a ledger's process on a platform for which there is no runtime. */
export const noRuntime = 69;

/** litesvm has no binary for this platform, or it was not installed. */
export class UnsupportedPlatformError extends Error {
  override readonly name = 'UnsupportedPlatformError';

  constructor(cause?: unknown) {
    super(`There is no binary of litesvm for ${process.platform} ${process.arch} here.`, { cause });
  }
}
