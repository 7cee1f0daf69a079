// The decorators of the X.509 library require that this import comes before the library.
import 'reflect-metadata';

export * as x509 from '@peculiar/x509';
