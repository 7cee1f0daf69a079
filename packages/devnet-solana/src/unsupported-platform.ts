/** Exit code of a ledger process on a platform without a runtime. */
export const noRuntime = 69;

/** litesvm has no binary for this platform, or the binary was not installed. */
export class UnsupportedPlatformError extends Error {
  override readonly name = 'UnsupportedPlatformError';

  constructor(cause?: unknown) {
    super(`litesvm has no binary for ${process.platform} ${process.arch}, or it is not installed.`, {
      cause,
    });
  }
}
