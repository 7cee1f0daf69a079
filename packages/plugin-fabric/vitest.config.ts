import { mergeConfig } from 'vitest/config';
import { shared } from '../../vitest.shared.ts';

/** Networks that are not the test's own may cut blocks every few seconds. */
export default mergeConfig(shared, { test: { testTimeout: 60_000, hookTimeout: 90_000 } });
