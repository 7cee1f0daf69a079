// This package is compiled without platform types, but all platforms have TextDecoder.
declare const TextDecoder: new (
  label: string,
  options: { fatal: boolean },
) => { decode(bytes: Uint8Array, options: { stream: boolean }): string };

/** Number of bytes that are decoded in one step, which takes a few milliseconds at most, whatever they contain. */
const pieceBytes = 65_536;

/**
 * Decodes UTF-8 in pieces, so that the caller can pause in between: 32 MB that are not ASCII take more than 100 ms in one
 * step. Skips a byte order mark at the beginning. The last piece may be empty.
 *
 * @param fatal whether bytes that are not UTF-8 are refused; otherwise they become U+FFFD
 * @throws TypeError
 */
export function* decodeUtf8(bytes: Uint8Array, { fatal = false } = {}): Generator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal });
  let at = 0;
  do {
    const piece = bytes.subarray(at, at + pieceBytes);
    at += pieceBytes;
    yield decoder.decode(piece, { stream: at < bytes.length });
  } while (at < bytes.length);
}
