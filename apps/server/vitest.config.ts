import { mergeConfig } from 'vitest/config';
import { shared } from '../../vitest.shared.ts';

/** What every test of this package gets from a server is held against the document. */
export default mergeConfig(shared, { test: { setupFiles: ['test/witness-of-answers.ts'] } });
