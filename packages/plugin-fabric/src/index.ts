export { fabricAdapter, fabricAdapter as default } from './definition.ts';
