/**
 * Characters that change the direction of surrounding text or break its line, so that one name can look like
 * another. Names in right-to-left scripts do not need them.
 */
const misleading = /[\p{Bidi_Control}\p{Zl}\p{Zp}]/u;

/** Whether a text contains characters, such as U+202E, that make it look like another text. */
export function isMisleading(text: string): boolean {
  return misleading.test(text);
}

/** Reason for refusing a text that {@link isMisleading}. */
export const misleadingDetail = 'must not contain characters that change the direction of text';

/** Replaces such characters, for displaying texts written by others. */
export function withoutMisleading(text: string): string {
  return isMisleading(text) ? text.replaceAll(new RegExp(misleading, 'gu'), '\ufffd') : text;
}
