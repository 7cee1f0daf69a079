import { html } from '../present/html.ts';

/** A text of the document in HTML: what stands between backticks is code. */
export function prose(text: string): string {
  return html(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
