import { withoutMisleading } from '@ledger-ops/base';

/** Escapes text for HTML content and quoted attributes, and removes characters that change the text direction. */
export function html(text: string): string {
  return withoutMisleading(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
