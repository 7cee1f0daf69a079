// Writes the table of settings in the README.
import { readFileSync, writeFileSync } from 'node:fs';
import { settings } from '../src/settings/settings.ts';
import { withSettings } from '../src/settings/table-text.ts';

const readme = new URL('../README.md', import.meta.url);
writeFileSync(readme, withSettings(readFileSync(readme, 'utf8'), settings));
