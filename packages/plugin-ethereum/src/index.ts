export { ethereumAdapter, ethereumAdapter as default } from './definition.ts';
