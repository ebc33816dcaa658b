"""A sweep by the ranks of MPI, run by test_studies.py: mpirun -n 2 python mpi_sweep.py SCENARIO OUTPUT."""

import sys

from mpi4py import MPI
from mpi4py.futures import MPICommExecutor

import cuttle

if __name__ == "__main__":
    with MPICommExecutor(MPI.COMM_WORLD, root=0) as executor:
        if executor is not None:  # of rank 0: the others work
            varied = {"links.cart.body.mass": "-1:3:400", "simulation.inputs.motor": 3}
            found = cuttle.sweep(sys.argv[1], varied, keep=["cart.tip.x"], engine=executor, output=sys.argv[2])
            print(f"{len(found)} rows, {len(found.failed)} failed")
