/**
 * Points at which a test may crash the process: before and after every commit and every send, where a crash does the
 * most harm.
 */
export const faultPoints = [
  'accept:before-commit',
  'accept:after-commit',
  'sign:before-commit',
  'sign:after-commit',
  'submit:before',
  'submit:after',
  'settle:before-commit',
  'settle:after-commit',
  'reject:before-commit',
  'reject:after-commit',
  'note:before-commit',
  'note:after-commit',
  'change:before-commit',
  'change:after-commit',
  'replace:before-commit',
  'replace:after-commit',
  'fill:before-commit',
  'fill:after-commit',
  'tell:before-commit',
  'tell:after-commit',
] as const;
export type FaultPoint = (typeof faultPoints)[number];

/** Called at each fault point. Does nothing outside of tests. */
export type Faults = (point: FaultPoint) => void;
