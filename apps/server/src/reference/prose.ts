import { html } from '../present/html.ts';

/** Converts a description to HTML: backticks mark code. */
export function prose(text: string): string {
  return html(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
