/** Minimal cost of hashing passwords, and of deriving keys from wallet passwords, in tests. */
export const cheapPasswords = { memory: 64, passes: 1, parallelism: 1 };
