/** Invisible characters that some scripts or emoji need: joiners, variation selectors and the tags of flags. */
const needed = String.raw`\u200c\u200d\ufe00-\ufe0f\u{e0020}-\u{e007f}\u{e0100}-\u{e01ef}`;

/**
 * Characters that make one name look like another: they change the direction of the surrounding text, break the line,
 * control a terminal, or are invisible. Joiners and variation selectors are allowed only if they can have an effect:
 * not at the start, not repeated, and not after a space or a letter that never joins. Tags are allowed in flags.
 */
const misleading = new RegExp(
  [
    String.raw`[\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}\u0080-\u009f\u2800\ufff9-\ufffb]`,
    String.raw`[\p{Default_Ignorable_Code_Point}--[${needed}]]`,
    String.raw`(?<=^|[\s\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}])[${needed}]`,
    String.raw`(?<=[\u200c\u200d])[\u200c\u200d]`,
    String.raw`(?<![\u{1f3f4}\u{e0020}-\u{e007f}])[\u{e0020}-\u{e007f}]`,
  ].join('|'),
  'v',
);

/** Whether a string contains characters, such as U+202E or U+200B, that make it look like another string. */
export function isMisleading(text: string): boolean {
  return misleading.test(text);
}

/** Error detail for a string that {@link isMisleading}. */
export const misleadingDetail =
  'must not contain characters that are invisible or change the direction of text';

/** Replaces misleading characters in strings written by others, before they are displayed. */
export function withoutMisleading(text: string): string {
  return isMisleading(text) ? text.replaceAll(new RegExp(misleading, 'gv'), '\ufffd') : text;
}
