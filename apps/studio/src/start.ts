// The first script of the page, and a small one.
import './early';

void import('./main');
