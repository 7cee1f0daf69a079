/** The kinds of packages. */
export const languages = {
  javascript: 'a module, in JavaScript',
  typescript: 'a module, in TypeScript',
  python: 'a remote plugin, in Python, with its own keys',
} as const;

export type Language = keyof typeof languages;

export function isLanguage(text: string): text is Language {
  return Object.hasOwn(languages, text);
}
