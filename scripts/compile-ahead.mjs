// Compiles the modules of servers, which most tests import or start, into NODE_COMPILE_CACHE. Otherwise every test
// worker compiles them, because a process writes its compiled code to the cache only when it exits.
import { flushCompileCache } from 'node:module';

const entries = ['apps/server/src/index.ts', 'apps/server/src/adapters.ts'];
for (const entry of entries) {
  // A generated module may be missing or half-written, because the build runs at the same time.
  await import(new URL(`../${entry}`, import.meta.url)).catch((error) =>
    console.warn(`${entry}: ${error.message}`),
  );
}
flushCompileCache();
process.exit(0);
