import { fileURLToPath } from 'node:url';
import { fabricAdapter } from '../src/index.ts';
import { isDevnet } from './network.ts';
import quickAdapter from './quick-adapter.ts';

/** The adapter that is tested: with short times, but on a network of a profile with the usual ones. */
export const testAdapter = isDevnet ? quickAdapter : fabricAdapter;

/** The module that has it as its default export. */
export const testAdapterFile = fileURLToPath(
  new URL(isDevnet ? './quick-adapter.ts' : '../src/index.ts', import.meta.url),
);
