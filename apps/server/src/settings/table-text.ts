import { fileSetting } from './read-settings.ts';
import type { Setting, SettingsTable } from './setting.ts';

/** A table of settings in Markdown, as a README shows it. */
export function settingsTable(table: SettingsTable): string {
  const rows = Object.entries(table).map(([name, setting]) => {
    const file = setting.secret === true ? ` or \`${fileSetting(name)}\`` : '';
    return `| \`${name}\`${file} | ${defaultOf(setting)} | ${setting.about} |`;
  });
  return ['| Setting | Default | Meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

/** A README with the table between its marks. */
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
