import { fileURLToPath } from 'node:url';
import { fabricAdapter } from '../src/index.ts';
import { isDevnet } from './network.ts';
import quickAdapter from './quick-adapter.ts';

/** The tested adapter. Its times are short, or the default ones on a profile's network. */
export const testAdapter = isDevnet ? quickAdapter : fabricAdapter;

/** The module that exports it as default. */
export const testAdapterFile = fileURLToPath(
  new URL(isDevnet ? './quick-adapter.ts' : '../src/index.ts', import.meta.url),
);
