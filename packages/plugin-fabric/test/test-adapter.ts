import { fileURLToPath } from 'node:url';
import { fabricAdapter } from '../src/index.ts';
import { isDevnet } from './network.ts';
import quickAdapter from './quick-adapter.ts';

/** The tested adapter. Its times are short, or the default ones on a profile's network. */
export const testAdapter = isDevnet ? quickAdapter : fabricAdapter;

/** Path of the module whose default export is the tested adapter. */
export const testAdapterFile = fileURLToPath(
  new URL(isDevnet ? './quick-adapter.ts' : '../src/index.ts', import.meta.url),
);
