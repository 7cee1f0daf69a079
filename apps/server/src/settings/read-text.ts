import { readFileSync } from 'node:fs';
import { ConfigError } from './config-error.ts';

/** Reads the file that a setting names. @throws ConfigError that names the setting */
export function readText(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw new ConfigError(`${setting}: ${path} cannot be read (${code}).`);
  }
}
