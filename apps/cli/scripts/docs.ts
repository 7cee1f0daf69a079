// Writes the reference of all commands, for the documentation's site.
import { mkdirSync, writeFileSync } from 'node:fs';
import { commandReference } from './docs-text.ts';

const folder = new URL('../../../docs/.generated/tables/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('cli.md', folder), commandReference());
