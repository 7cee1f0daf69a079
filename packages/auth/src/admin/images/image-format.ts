export const imageFormats = ['png', 'jpeg', 'webp', 'svg'] as const;
export type ImageFormat = (typeof imageFormats)[number];

/** Detects the format from the bytes, not from a name. Returns undefined for an unsupported format. */
export function formatOf(bytes: Uint8Array): ImageFormat | undefined {
  const at = (offset: number, text: string) =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
      .subarray(offset, offset + text.length)
      .equals(Buffer.from(text, 'latin1'));
  if (at(0, '\x89PNG\r\n\x1a\n') && at(12, 'IHDR')) return 'png';
  if (at(0, '\xff\xd8\xff')) return 'jpeg';
  if (at(0, 'RIFF') && at(8, 'WEBP')) return 'webp';
  return isSvg(bytes) ? 'svg' : undefined;
}

/**
 * Accepts UTF-8 text whose first element is `svg`, after an XML declaration and comments. Text with a document type
 * declaration is rejected.
 */
function isSvg(bytes: Uint8Array): boolean {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return false;
  }
  // Linear time, because there may be a large number of comments.
  const before = /(?:\s+|<\?[\s\S]*?\?>|<!--[\s\S]*?-->)/y;
  let start = 0;
  while (before.test(text)) start = before.lastIndex;
  const rest = text.slice(start);
  return /^<(?:svg:)?svg[\s/>]/.test(rest) && /<\/(?:svg:)?svg\s*>\s*$|\/>\s*$/.test(rest);
}
