import { fileSetting } from './read-settings.ts';
import type { Setting, SettingsTable } from './setting.ts';

/** Returns the table of settings in Markdown, for the README. */
export function settingsTable(table: SettingsTable): string {
  const rows = Object.entries(table).map(([name, setting]) => {
    const file = setting.secret === true ? ` or \`${fileSetting(name)}\`` : '';
    return `| \`${name}\`${file} | ${defaultOf(setting)} | ${setting.about} |`;
  });
  return ['| Setting | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

/** Replaces the table between the README's markers. */
export function withSettings(readme: string, table: SettingsTable): string {
  return readme.replace(
    /<!-- settings -->[\s\S]*<!-- \/settings -->/,
    () => `<!-- settings -->\n\n${settingsTable(table)}\n\n<!-- /settings -->`,
  );
}

function defaultOf({ schema, otherwise }: Setting): string {
  if (otherwise !== undefined) return otherwise;
  const { data } = schema.safeParse(undefined);
  return typeof data === 'string' || typeof data === 'number' ? `\`${data}\`` : 'none';
}
