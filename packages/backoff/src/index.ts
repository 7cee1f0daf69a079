export { type Backoff, backoff } from './backoff.ts';
