import { mergeConfig } from 'vitest/config';
import { shared } from '../../vitest.shared.ts';

/** Every answer that a test of this package gets from a server is compared with the document. */
export default mergeConfig(shared, { test: { setupFiles: ['../../testing/witness.ts'] } });
