// Writes docs/problems.md and the table of settings in the README.
import { readFileSync, writeFileSync } from 'node:fs';
import { problemsPage, withSettings } from './docs-text.ts';

const problems = new URL('../../../docs/problems.md', import.meta.url);
const readme = new URL('../README.md', import.meta.url);
writeFileSync(problems, problemsPage());
writeFileSync(readme, withSettings(readFileSync(readme, 'utf8')));
