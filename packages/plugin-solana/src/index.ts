export { solanaAdapter, solanaAdapter as default } from './definition.ts';
