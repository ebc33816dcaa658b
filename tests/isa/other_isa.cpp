namespace cuttle::CUTTLE_ISA {

int other_width() { return (*&lanes)(); }

}  // namespace cuttle::CUTTLE_ISA
