namespace cuttle::CUTTLE_ISA {

int other_width();
int width() { return (*&lanes)() == other_width() ? other_width() : -1; }

}  // namespace cuttle::CUTTLE_ISA
