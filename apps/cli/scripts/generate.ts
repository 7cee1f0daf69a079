// Writes docs/cli.md.
import { writeFileSync } from 'node:fs';
import { cliPage } from './docs-text.ts';

writeFileSync(new URL('../../../docs/cli.md', import.meta.url), cliPage());
