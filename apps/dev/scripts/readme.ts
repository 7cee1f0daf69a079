// Writes the settings table in the README.
import { readFileSync, writeFileSync } from 'node:fs';
import { withSettings } from '@ledger-ops/server';
import { ownSettings } from '../src/settings.ts';

const readme = new URL('../README.md', import.meta.url);
writeFileSync(readme, withSettings(readFileSync(readme, 'utf8'), ownSettings));
